// Smart pointers that own libcurl's handles.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace hearsay::https {

struct Cleanup {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct MultiCleanup {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

using Easy = std::unique_ptr<CURL, Cleanup>;         // one transfer
using Multi = std::unique_ptr<CURLM, MultiCleanup>;  // connections, and the transfers that run over them
using Url = std::unique_ptr<CURLU, Cleanup>;
using HeaderList = std::unique_ptr<curl_slist, Cleanup>;

}  // namespace hearsay::https
