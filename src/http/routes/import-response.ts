import type { RouteResponse } from '../protocol/route.ts'

/** The response to an import: JSON texts of what was created, or only how many it would be. */
export const importResponse = (
  name: 'suts' | 'users',
  created: readonly string[] | undefined,
  count = created?.length ?? 0,
): RouteResponse => ({
  status: 200,
  body: created === undefined ? `{"count":${count}}` : `{"count":${count},"${name}":[${created.join(',')}]}`,
})
