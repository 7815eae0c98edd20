import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import { refusal } from './protocol/problem.ts'
import type { Route } from './protocol/route.ts'
import { refuse, setHeader, setText } from './response/respond.ts'

type Layer = { readonly methods: readonly string[] }

/** What no route took: a known address with another method, or an unknown one. */
export const refuseUnmatched: Middleware = (ctx) => {
  const layers = (ctx.matched ?? []) as readonly Layer[]
  if (layers.length === 0) return refuse(ctx, refusal('not_found', 'There is nothing at this address.'))
  const allowed = [...new Set(layers.flatMap(({ methods }) => methods)), 'OPTIONS'].sort().join(', ')
  if (ctx.method === 'OPTIONS') setText(ctx, 200, '')
  else refuse(ctx, refusal('method_not_allowed', `This address takes ${allowed}, not ${ctx.method}.`))
  setHeader(ctx, 'Allow', allowed)
}

type MakeHandler = (route: Route) => Middleware

const routerOf = (routes: readonly Route[], handled: MakeHandler): Middleware => {
  // Addresses are exact: in another case, or with a slash behind, they are others.
  const router = new Router({ sensitive: true, strict: true })
  for (const route of routes) router.register(route.path, [route.method], handled(route))
  return router.routes() as unknown as Middleware
}

/**
 * Each address that is written out whole has a router of its own: it is no object's, `create` is the id of nothing. And
 * where one is asked with the method that it takes there is nothing to be found out.
 */
export const dispatch = (routes: readonly Route[], handled: MakeHandler): Middleware => {
  const whole = routes.filter(({ path }) => !path.includes(':'))
  const direct = new Map(whole.map((route) => [`${route.method} ${route.path}`, handled(route)]))
  const byPath = Map.groupBy(routes, ({ path }) => (path.includes(':') ? 'with parameters' : path))
  const routers = new Map([...byPath].map(([path, ofPath]) => [path, routerOf(ofPath, handled)]))
  const withParameters = routers.get('with parameters') ?? refuseUnmatched
  return (ctx, next) => (direct.get(`${ctx.method} ${ctx.path}`) ?? routers.get(ctx.path) ?? withParameters)(ctx, next)
}
