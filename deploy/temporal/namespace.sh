#!/bin/sh
# The namespace, if it is not there. Workers add search attributes and raise the retention themselves.
set -eu
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 90d
