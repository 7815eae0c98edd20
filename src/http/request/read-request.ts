import * as E from 'fp-ts/lib/Either.js'
import { invalid, type Problem } from '../../domain/failure.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Views } from '../../read-models/views.ts'
import { type RequestHeader, requestHeaders } from '../codecs/headers.ts'
import { detailOf, noQuery } from '../codecs/query.ts'
import type { Context, Guard } from '../protocol/context.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { DecodeQuery, Route } from '../protocol/route.ts'

const ABSENT = E.right(undefined)

/** Reads the query and the header fields of a request, and decodes its body. A refusal names every problem. */
export const readInput = (route: Route): Guard => {
  const fields = Object.entries<RequestHeader<unknown>>(requestHeaders).filter(([, { isOf }]) => isOf(route))
  const headers = fields.map(([member, { name, codec }]) => ({ member, name, codec, key: name.toLowerCase() }))
  const decodeQuery: DecodeQuery<unknown> = route.query ?? noQuery
  const withoutQuery = decodeQuery('')
  return (ctx) => {
    const given: Record<string, unknown> = {}
    const inHeader: Problem[] = []
    for (const { member, name, codec, key } of headers) {
      const text = ctx.req.headers[key]
      if (text === undefined) continue
      const read = codec.decode(text)
      if (E.isRight(read)) given[member] = read.right
      else inHeader.push({ code: 'invalid', path: [name], in: 'header', detail: detailOf(read.left) })
    }
    const body = route.body === undefined ? ABSENT : route.body(ctx.request.body)
    const text = ctx.querystring
    const query = text === '' ? withoutQuery : decodeQuery(text)
    if (E.isRight(body) && E.isRight(query) && inHeader.length === 0) {
      ctx.state.input = { ...given, body: body.right, query: query.right }
      return undefined
    }
    return invalid([...(E.isLeft(query) ? query.left : []), ...inHeader, ...(E.isLeft(body) ? body.left : [])])
  }
}

/** Waits until a read can show the position that it is to show at least. */
export const waitForPosition = ({ views }: { readonly views: Pick<Views, 'waitForPublicPosition'> }): Guard => {
  const reach = async (ctx: Context, after: PublicPosition): Promise<Refusal | undefined> => {
    ctx.state.hasWaited = true
    const isReached = await views.waitForPublicPosition(after)
    return isReached
      ? undefined
      : refusal('position_not_reached', `This instance has not reached position ${after} yet.`)
  }
  return (ctx) => {
    const { after } = ctx.state.input
    return after === undefined ? undefined : reach(ctx, after)
  }
}
