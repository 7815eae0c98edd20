import type { Route } from '../../../src/http/protocol/route.ts'
import { type Handlers, routes } from '../../../src/http/routes.ts'

/** A stub for all handlers: only the route definitions are used. */
const nothing = (): unknown => new Proxy(() => undefined, { get: nothing })

/** All routes, with handlers that do nothing. */
export const pageOfRoutes: readonly Route[] = routes(nothing() as Handlers)

/** Every route of the API, as `GET /api/sut/:id`. */
export const page: readonly string[] = pageOfRoutes.map(({ method, path }) => `${method} ${path}`)
