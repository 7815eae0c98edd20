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

/** What a path with parameters begins with. */
const prefixOf = ({ path }: Route): string => path.slice(0, path.indexOf(':'))

const hasParameters = ({ path }: Route): boolean => path.includes(':')

/** Finds the paths that have one of these routes, whatever is in place of its parameters. */
export const pathsOf = (routes: readonly Route[]): ((path: string) => boolean) => {
  const whole = new Set(routes.map(({ path }) => path))
  const patterns = routes.filter(hasParameters).map((route) => ({
    prefix: prefixOf(route),
    pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`),
  }))
  return (path) =>
    whole.has(path) || patterns.some(({ prefix, pattern }) => path.startsWith(prefix) && pattern.test(path))
}

/** Finds the requests that need no credentials. What is open to GET is so to HEAD and OPTIONS. */
export const openRequestsOf = (routes: readonly Route[]): ((method: string, path: string) => boolean) => {
  const open = routes.filter(({ may }) => may === 'anyone')
  const byMethod = new Map([...Map.groupBy(open, ({ method }) => method)].map(([key, of]) => [key, pathsOf(of)]))
  return (asked, path) => {
    const method = asked === 'HEAD' || asked === 'OPTIONS' ? 'GET' : asked
    return byMethod.get(method as Route['method'])?.(path) ?? false
  }
}

/** Routes, also at their aliases. */
export const withAliases = (routes: readonly Route[]): readonly Route[] =>
  routes.flatMap((route) => (route.alias === undefined ? [route] : [route, { ...route, path: route.alias }]))

type MakeHandler = (route: Route) => Middleware

const routerOf = (routes: readonly Route[], handled: MakeHandler): Middleware => {
  // Paths match exactly: case and trailing slashes count.
  const router = new Router({ sensitive: true, strict: true })
  for (const route of routes) router.register(route.path, [route.method], handled(route))
  return router.routes() as unknown as Middleware
}

const toUnmatched: Middleware = (_, next) => next()

/**
 * Each path without parameters has a router of its own, so that `create` is never taken for an id. A request with the
 * right method is dispatched by a single look-up. The other paths have a router for each beginning, because a router
 * tries all of its patterns.
 */
export const dispatch = (routes: readonly Route[], handled: MakeHandler): Middleware => {
  const whole = routes.filter((route) => !hasParameters(route))
  const direct = new Map(whole.map((route) => [`${route.method} ${route.path}`, handled(route)]))
  const toRouter = <Key>([key, of]: readonly [Key, readonly Route[]]) => [key, routerOf(of, handled)] as const
  const byPath = new Map([...Map.groupBy(whole, ({ path }) => path)].map(toRouter))
  const byPrefix = [...Map.groupBy(routes.filter(hasParameters), prefixOf)].map(toRouter)
  const withParameters = (path: string) => byPrefix.find(([prefix]) => path.startsWith(prefix))?.[1]
  return (ctx, next) => {
    const known = direct.get(`${ctx.method} ${ctx.path}`) ?? byPath.get(ctx.path)
    return (known ?? withParameters(ctx.path) ?? toUnmatched)(ctx, next)
  }
}
