import type { Route } from '../../../src/http/protocol/route.ts'
import { type Handlers, routes } from '../../../src/http/routes.ts'

/** Stands in for whatever is asked of it: only what the page says of its routes is looked at. */
const nothing = (): unknown => new Proxy(() => undefined, { get: nothing })

/** The page itself; its handlers do nothing. */
export const pageOfRoutes: readonly Route[] = routes(nothing() as Handlers)

/** Every route of the interface, as `GET /api/sut/:id`. */
export const page: readonly string[] = pageOfRoutes.map(({ method, path }) => `${method} ${path}`)
