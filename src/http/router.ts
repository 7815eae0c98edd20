import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import { refusal } from './protocol/problem.ts'
import type { Route } from './protocol/route.ts'
import { refuse, setHeader, setText } from './response/respond.ts'

type Layer = { readonly methods: readonly string[] }

/** Refuses what no route matched: a known path with another method, or an unknown path. */
export const refuseUnmatched: Middleware = (ctx) => {
  const layers = (ctx.matched ?? []) as readonly Layer[]
  if (layers.length === 0) return refuse(ctx, refusal('not_found', 'Nothing exists at this address.'))
  const allowed = [...new Set(layers.flatMap(({ methods }) => methods)), 'OPTIONS'].sort().join(', ')
  if (ctx.method === 'OPTIONS') setText(ctx, 200, '')
  else refuse(ctx, refusal('method_not_allowed', `This address supports ${allowed}, not ${ctx.method}.`))
  setHeader(ctx, 'Allow', allowed)
}

/** Finds the paths that need no credentials. */
export const openPathsOf = (routes: readonly Route[]): ((path: string) => boolean) => {
  const open = routes.filter(({ may }) => may === 'anyone').map(({ path }) => path)
  const whole = new Set(open.filter((path) => !path.includes(':')))
  // Whatever is in place of a parameter: it is a credential of its own.
  const withParameters = open
    .filter((path) => path.includes(':'))
    .map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`))
  return (path) => whole.has(path) || withParameters.some((pattern) => pattern.test(path))
}

type MakeHandler = (route: Route) => Middleware

const routerOf = (routes: readonly Route[], handled: MakeHandler): Middleware => {
  // Paths match exactly: case and trailing slashes count.
  const router = new Router({ sensitive: true, strict: true })
  for (const route of routes) router.register(route.path, [route.method], handled(route))
  return router.routes() as unknown as Middleware
}

/**
 * Each path without parameters has a router of its own, so that `create` is never taken for an id. A request with the
 * right method is dispatched by a single look-up.
 */
export const dispatch = (routes: readonly Route[], handled: MakeHandler): Middleware => {
  const whole = routes.filter(({ path }) => !path.includes(':'))
  const direct = new Map(whole.map((route) => [`${route.method} ${route.path}`, handled(route)]))
  const byPath = Map.groupBy(routes, ({ path }) => (path.includes(':') ? 'with parameters' : path))
  const routers = new Map([...byPath].map(([path, ofPath]) => [path, routerOf(ofPath, handled)]))
  const withParameters = routers.get('with parameters') ?? refuseUnmatched
  return (ctx, next) => (direct.get(`${ctx.method} ${ctx.path}`) ?? routers.get(ctx.path) ?? withParameters)(ctx, next)
}
