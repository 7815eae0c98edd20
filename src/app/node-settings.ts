import { setFlagsFromString } from 'node:v8'

// Imported for its side effects, before any module that imports node:http.

// V8 pretenures objects whose allocation site has produced survivors. Requests that wait for the first password check
// make it pretenure every request: each then keeps everything it refers to until the next full collection. Moving that
// took a tenth of the time of a create.
setFlagsFromString('--no-allocation-site-pretenuring')

// With little promotion, V8 keeps the old generation so small that it collects it every three seconds. Each collection
// keeps a second thread busy for a quarter of a second: a tenth of all time on one core. A limit of twice the live size
// is still less than V8 chooses under more promotion.
setFlagsFromString('--heap-growing-percent=100')

// An ES module that imports node:http makes Node read every member of it, and these load undici, Node's HTTP client: a
// tenth of a start. Globals of the same names are there all the same.
const http: Record<string, unknown> = process.getBuiltinModule('node:http')
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) delete http[name]
