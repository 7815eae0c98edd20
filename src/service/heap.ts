import { setFlagsFromString } from 'node:v8'

// Imported for what it does. V8 makes in the old generation what it has seen outlive the young one. Requests that wait for
// the first password to be checked teach it that of them all; from then on each keeps all that it refers to until the next
// full collection, and a tenth of the time of a create goes into moving that.
setFlagsFromString('--no-allocation-site-pretenuring')

// V8 makes its old generation so small where little gets into it that it is collected every three seconds, which takes a
// second thread a quarter of a second: on one core that is a tenth of all time. Twice what lives is less than V8 left to it
// when more got into it.
setFlagsFromString('--heap-growing-percent=100')
