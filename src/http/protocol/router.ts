import { Router } from '@koa/router'
import type { Route, UpgradedConnection } from './route.ts'

/** What a request asks for, by its method and path. Everything that depends on these uses the same match. */
export interface Match {
  /** Undefined if no route has this path and method. */
  readonly route: Route | undefined
  /** Path parameters, decoded. */
  readonly params: UpgradedConnection['params']
  /** The routes of the path, whatever their method. */
  readonly atPath: readonly Route[]
}

export type MatchRequest = (method: string, path: string) => Match

/** A route at one of its paths. */
interface Place {
  readonly path: string
  readonly route: Route
}

const placesOf = (route: Route): readonly Place[] =>
  [route.path, route.alias].flatMap((path) => (path === undefined ? [] : [{ path, route }]))

const hasParameters = ({ path }: Place): boolean => path.includes(':')

/** What a path with parameters begins with. */
const prefixOf = ({ path }: Place): string => path.slice(0, path.indexOf(':'))

/** The router only matches: `app.ts` calls the handlers. */
const uncalled = (): void => undefined

const makeMatchAmong = (places: readonly Place[]): MatchRequest => {
  // Paths match exactly: case and trailing slashes count.
  const router = new Router({ sensitive: true, strict: true })
  for (const { path, route } of places) router.register(path, [route.method], uncalled)
  const routes = new Map(places.map(({ route }, index) => [router.stack[index], route]))
  return (method, path) => {
    const { path: layers, pathAndMethod } = router.match(path, method)
    const [layer] = pathAndMethod
    return {
      route: layer && routes.get(layer),
      params: layer === undefined ? {} : layer.params(path, layer.captures(path)),
      atPath: layers.flatMap((each) => routes.get(each) ?? []),
    }
  }
}

/** Of a request that no route has, or that cannot be matched. */
export const NO_MATCH: Match = { route: undefined, params: {}, atPath: [] }

/**
 * Each path without parameters has a router of its own, so that `create` is never taken for an id. The other paths have
 * one for each beginning, because a router tries all of its patterns.
 */
export const makeMatch = (routes: readonly Route[]): MatchRequest => {
  const places = routes.flatMap(placesOf)
  const toMatch = <Key>([key, of]: readonly [Key, readonly Place[]]) => [key, makeMatchAmong(of)] as const
  const whole = places.filter((place) => !hasParameters(place))
  const byPath = new Map([...Map.groupBy(whole, ({ path }) => path)].map(toMatch))
  const byPrefix = [...Map.groupBy(places.filter(hasParameters), prefixOf)].map(toMatch)
  return (method, path) => {
    const match = byPath.get(path) ?? byPrefix.find(([prefix]) => path.startsWith(prefix))?.[1]
    return match?.(method, path) ?? NO_MATCH
  }
}

/** The methods that a path supports. */
export const methodsOf = ({ atPath }: Match): readonly string[] =>
  [...new Set(atPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))), 'OPTIONS'].sort()

/** Whether a request needs no credentials. What is open to GET is so to HEAD and OPTIONS. */
export const isForAnyone = ({ route, atPath }: Match, method: string): boolean =>
  (method === 'OPTIONS' ? atPath.find((each) => each.method === 'GET') : route)?.roles === 'anyone'
