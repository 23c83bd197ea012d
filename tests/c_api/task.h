/* A task that lasts from 1970 for two hundred years, and a record of its schema. */
#ifndef HEARSAY_TESTS_C_API_TASK_H
#define HEARSAY_TESTS_C_API_TASK_H

static const char kTask[] =
    "{\"version\": 2, \"title\": \"c\","
    " \"schema\": [{\"name\": \"smoker\", \"type\": \"boolean\"},"
    "              {\"name\": \"age\", \"type\": \"range\", \"min\": 18, \"max\": 99}],"
    " \"arrangement\": {\"type\": \"literals\"}, \"channel\": {\"type\": \"laplace\", \"calibration\": \"tight\"},"
    " \"epsilon\": \"0.5\", \"task_start\": 86400, \"task_duration\": 6311520000, \"time_precision\": 86400,"
    " \"min_batch_size\": 1}";
static const char kRecord[] = "{\"smoker\": true, \"age\": 33}";

#endif
