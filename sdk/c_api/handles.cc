#include "sdk/c_api/handles.h"

namespace hearsay::c_api {

HandleTable<hearsay_ledger, OpenLedger>& ledgers() {
  static auto& table = table_for_ever<hearsay_ledger, OpenLedger>(2);
  return table;
}

HandleTable<hearsay_client, OpenClient>& clients() {
  static auto& table = table_for_ever<hearsay_client, OpenClient>(3);
  return table;
}

HandleTable<hearsay_companion, const Companion>& companions() {
  static auto& table = table_for_ever<hearsay_companion, const Companion>(4);
  return table;
}

}  // namespace hearsay::c_api
