import { type Layer, Router } from '@koa/router'
import type { Context, Middleware, State } from './context.ts'
import type { Route } from './route.ts'

export interface Routes {
  /** Sends a request to the route that has its path and method, or on. */
  readonly dispatch: Middleware
  /** The routes at the path of a request, whatever their method. */
  readonly at: (ctx: Context) => readonly Route[]
  /** That of them which has its method. */
  readonly of: (ctx: Context) => Route | undefined
}

/** One middleware in place of several, which the router would put together for each request. */
const inOrder = (chain: readonly Middleware[]): Middleware =>
  chain.reduceRight((rest, first) => (ctx, next) => first(ctx, () => rest(ctx, next)))

/**
 * Routes with the middleware of each. A path without parameters has a router of its own, so that `create` is never taken
 * for an id, and all that begin alike before their parameters have one. One router would try the patterns of all routes
 * for each request: 3.5 us more, 6 % of a read.
 */
export const makeRoutes = (routes: readonly Route[], chainOf: (route: Route) => readonly Middleware[]): Routes => {
  const routers = new Map<string, Router<State>>()
  const beginnings: string[] = []
  const declared = new Map<unknown, Route>()
  for (const route of routes) {
    for (const path of [route.path, ...(route.alias === undefined ? [] : [route.alias])]) {
      const beginning = path.replace(/:.*/, '')
      if (beginning !== path && !beginnings.includes(beginning)) beginnings.push(beginning)
      // Paths match exactly: case and trailing slashes count.
      const router = routers.get(beginning) ?? new Router<State>({ sensitive: true, strict: true })
      routers.set(beginning, router)
      declared.set(router.register(path, [route.method], inOrder(chainOf(route))), route)
    }
  }
  const dispatchers = new Map([...routers.values()].map((router) => [router, router.routes()]))
  const routerOf = (path: string): Router<State> | undefined =>
    routers.get(path) ?? routers.get(beginnings.find((beginning) => path.startsWith(beginning)) ?? 'none')
  const routesOf = (layers: readonly Layer[] = []): readonly Route[] =>
    layers.flatMap((layer) => declared.get(layer) ?? [])
  return {
    dispatch: (ctx, next) => {
      const router = routerOf(ctx.path)
      const dispatch = router && (dispatchers.get(router) as Middleware | undefined)
      return dispatch === undefined ? next() : dispatch(ctx, next)
    },
    at: ({ path, method }) => routesOf(routerOf(path)?.match(path, method).path),
    of: ({ path, method }) => routesOf(routerOf(path)?.match(path, method).pathAndMethod)[0],
  }
}
