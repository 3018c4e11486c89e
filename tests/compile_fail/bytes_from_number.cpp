// error: conversion from .int. to non-scalar type|no viable conversion from .int.
#include "planner/base/units.h"

using namespace fabricast;

#ifdef WRONG
Bytes size = 80;
#else
Bytes size = Bytes(80);
#endif
