// What `hearsay audit --mechanism` prints.
#pragma once

#include <string>

#include "aggregator/central/audit/catalogue.h"
#include "aggregator/cli/table.h"
#include "hearsay/result.h"

namespace hearsay::aggregator {

// Audits one mechanism of the catalogue and prints the result. 1 if the claim is refuted, 0 otherwise.
Result<int> audit_mechanism(const AuditRequest& request, OutputFormat format);

// Prints the catalogue. 0.
int list_mechanisms(OutputFormat format);

}  // namespace hearsay::aggregator
