import { type Handlers, routes } from '../../src/http/routes.ts'

/** Stands in for whatever is asked of it: only what the page says of its routes is looked at. */
const nothing = (): unknown => new Proxy(() => undefined, { get: nothing })

/** Every route of the interface, as `GET /api/sut/:id`. */
export const page: readonly string[] = routes(nothing() as Handlers).map(({ method, path }) => `${method} ${path}`)
