import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { Config } from '../../app/config/config.ts'
import { boolean, listOf, opaqueId } from '../../domain/codec/codec.ts'
import { dictionary } from '../../domain/codec/object-codec.ts'
import { SutType, sutFields, tagName, tagText } from '../../domain/events/sut.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { answer, callService, line, tryCall } from '../service/call.ts'
import { oneNamed } from '../service/one-named.ts'
import { CommandFailure, orFail } from '../terminal/command.ts'

/** A SUT as the service shows it. */
export const SutAnswer = answer(
  {
    ...{ _id: opaqueId, name: line, address: line, port: sutFields.port, sut_type: SutType, is_active: boolean },
    ...{ monitoring: answer({ status: line }, {}), tags: dictionary('tags', tagName, tagText) },
    ...{ created_at: line, updated_at: line, description: sutFields.description },
    ...{ manufacturer: line, model: line, os: line, version: line },
  },
  {},
)
export type SutAnswer = t.TypeOf<typeof SutAnswer>

const Suts = answer({ suts: listOf(SutAnswer) }, {})

/** SUTs in a response. */
const PAGE = 1_000

/** All SUTs that a query selects, newest created first. @throws CommandFailure */
export const listSuts = async (
  config: Config,
  query: Readonly<Record<string, string>>,
): Promise<readonly SutAnswer[]> => {
  const all: SutAnswer[] = []
  for (;;) {
    const last = all.at(-1)
    const page = new URLSearchParams({ ...query, limit: String(PAGE), ...(last && { before: last._id }) })
    const { suts } = await callService(config, { method: 'GET', path: `/api/sut?${page}`, answer: Suts })
    all.push(...suts)
    if (suts.length < PAGE) return all
  }
}

/** The path of a route of a SUT. */
export const sutPath = ({ _id }: Pick<SutAnswer, '_id'>, operation = ''): string =>
  `/api/sut/${encodeURIComponent(_id)}${operation}`

/**
 * The SUT that a command line means: by id, also of a retired one, or else by name in any case.
 *
 * @throws CommandFailure if there is none, or if several are meant
 */
export const lookUpSut = async (config: Config, typed = ''): Promise<SutAnswer> => {
  if (isAssignedId(typed)) {
    const byId = await tryCall(config, { method: 'GET', path: sutPath({ _id: typed }), answer: SutAnswer })
    if (E.isRight(byId) || byId.left.code !== 'sut_not_found') return orFail(byId)
  }
  const named = sutFields.name.is(typed) ? await listSuts(config, { name: typed }) : []
  const found = oneNamed('SUTs', typed, named)
  if (found === undefined) throw new CommandFailure(`there is no SUT ${JSON.stringify(typed)}`)
  return found
}
