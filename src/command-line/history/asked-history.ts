import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { integer, listOf } from '../../domain/codec/codec.ts'
import { AnsweredEvent } from '../log/answered-events.ts'
import { readMembers, statusOf } from '../people/members.ts'
import { answer, type CallFailure, tryCall } from '../service/call.ts'
import { idOfNamed } from '../service/one-named.ts'
import { listSuts } from '../sut/find.ts'
import { CommandFailure } from '../terminal/command.ts'

/** Histories as the service answers them. */

const Page = answer({ events: listOf(AnsweredEvent), count: integer(0, Number.MAX_SAFE_INTEGER) }, {})

/** Events in a response. */
const PAGE = 200

const KINDS = ['sut', 'sut_reservation', 'user'] as const

const pathOf = (kind: (typeof KINDS)[number], id: string, offset: number): string =>
  `/api/${kind}/${encodeURIComponent(id)}/history?limit=${PAGE}&offset=${offset}`

/** Codes of those who may not read this kind of history: the id may be that of another kind. */
const OTHERS = ['sut_not_found', 'reservation_not_found', 'user_not_found', 'forbidden']

/** Yields the history of what has an id. Returns whether anything has, or why that cannot be read. */
async function* historyOfId(config: Config, id: string): AsyncGenerator<AnsweredEvent, boolean | CallFailure> {
  let refused: CallFailure | undefined
  for (const kind of KINDS) {
    for (let offset = 0; ; offset += PAGE) {
      const read = await tryCall(config, { method: 'GET', path: pathOf(kind, id, offset), answer: Page })
      if (E.isLeft(read)) {
        if (offset > 0 || !OTHERS.includes(read.left.code ?? '')) return read.left
        if (read.left.code === 'forbidden') refused ??= read.left
        break
      }
      yield* read.right.events
      if (offset + PAGE >= read.right.count) return true
    }
  }
  return refused ?? false
}

/** The id that a name means. */
const findNamed = async (config: Config, typed: string): Promise<string | undefined> => {
  const members = await readMembers((call) => tryCall(config, call))
  const all = members.map((user) => ({ _id: user._id, name: user.name, isGone: statusOf(user) !== 'present' }))
  for (const isGone of [false, true]) {
    const suts = await listSuts(config, { name: typed, ...(isGone && { retired: 'true' }) })
    all.push(...suts.map(({ _id, name }) => ({ _id, name, isGone })))
  }
  return idOfNamed(typed, all)
}

/** Yields the history of what is meant: an id, or else a name. @throws CommandFailure if there is none */
export async function* askHistory(config: Config, typed: string): AsyncGenerator<AnsweredEvent, void> {
  const byId = yield* historyOfId(config, typed)
  if (byId === true) return
  const id = await findNamed(config, typed)
  if (id === undefined) {
    const unknown = `the service knows no SUT, reservation or user ${JSON.stringify(typed)}`
    throw new CommandFailure(byId === false ? unknown : byId.why)
  }
  const byName = yield* historyOfId(config, id)
  if (typeof byName === 'object') throw new CommandFailure(byName.why)
}
