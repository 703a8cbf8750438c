// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "archives.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace glt_test {

using ogb_texts = std::map<std::string, std::string>; ///< of the files of a data set, by path

/// Four vertices and three edges with everything that such a set may have.
inline ogb_texts plain_ogb() {
  return {{"raw/num-node-list.csv.gz", "4\n"},
          {"raw/num-edge-list.csv.gz", "3\n"},
          {"raw/edge.csv.gz", "0,1\n3,3\n2,0\n"},
          {"raw/edge-feat.csv.gz", "0.5,1\n1.5,2\n2.5,3\n"},
          {"raw/edge_weight.csv.gz", "1\n2\n3.5\n"},
          {"raw/edge_year.csv.gz", "2001\n2002\n2003\n"},
          {"raw/edge_reltype.csv.gz", "7\n8\n9\n"},
          {"raw/node-feat.csv.gz", "1,2\n-3.25,4e2\n5,6\nnan,8\n"},
          {"raw/node-label.csv.gz", "0\n1\n2\n0\n"},
          {"raw/node_year.csv.gz", "1990\n1991\n1992\n1993\n"},
          {"raw/node_species.csv.gz", "0.5\n1\n2\n3\n"},
          {"split/time/train.csv.gz", "3\n0\n"},
          {"split/time/valid.csv.gz", "1\n"},
          {"split/time/test.csv.gz", "2\n"}};
}

/// Papers and authors with two types of edges.
inline ogb_texts typed_ogb() {
  return {{"raw/num-node-dict.csv.gz", "author,paper\n2,3\n"},
          {"raw/nodetype-has-feat.csv.gz", "author,paper\nFalse,True\n"},
          {"raw/nodetype-has-label.csv.gz", "author,paper\nFalse,True\n"},
          {"raw/triplet-type-list.csv.gz", "author,writes,paper\npaper,cites,paper\n"},
          {"raw/relations/author___writes___paper/edge.csv.gz", "0,2\n1,0\n"},
          {"raw/relations/author___writes___paper/num-edge-list.csv.gz", "2\n"},
          {"raw/relations/author___writes___paper/edge_reltype.csv.gz", "0\n0\n"},
          {"raw/relations/paper___cites___paper/edge.csv.gz", "2,1\n"},
          {"raw/node-feat/paper/node-feat.csv.gz", "1\n2\n3\n"},
          {"raw/node-feat/paper/node_year.csv.gz", "1\n2\n3\n"},
          {"raw/node-label/paper/node-label.csv.gz", "5\n6\n7\n"},
          {"split/time/nodetype-has-split.csv.gz", "author,paper\nFalse,True\n"},
          {"split/time/paper/train.csv.gz", "2\n"},
          {"split/time/paper/valid.csv.gz", "0\n"},
          {"split/time/paper/test.csv.gz", "1\n"}};
}

/// Packs the texts.
inline void write_ogb(std::filesystem::path const& folder, ogb_texts const& all) {
  for (auto const& [path, text] : all) {
    write_gzip(folder / path, text);
  }
}

/// The same but for one.
inline ogb_texts with(ogb_texts all, std::string const& path, std::string const& text) {
  all[path] = text;
  return all;
}

/// The same without one.
inline ogb_texts gone(ogb_texts all, std::string const& path) {
  all.erase(path);
  return all;
}

} // namespace glt_test
