import type { Operation } from '../../../src/http/protocol/route.ts'
import { declarations } from '../../../src/http/routes.ts'

/** All routes. */
export const pageOfRoutes: readonly Operation[] = declarations

/** Every route of the API, as `GET /api/sut/:id`. */
export const page: readonly string[] = declarations.map(({ method, path }) => `${method} ${path}`)
