import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import { listOf, opaqueId } from '../../domain/codec/codec.ts'
import { answer, line } from '../service/answer.ts'
import { callService } from '../service/call.ts'
import { lookUpSut } from '../sut/find.ts'
import { DONE, printRefusal, type Terminal } from '../terminal/command.ts'

const Reservations = answer(
  {
    sut_reservations: listOf(answer({ _id: opaqueId, user_id: opaqueId, start_time: line, end_time: line }, {})),
  },
  {},
)
const User = answer({ name: line }, {})

/** Prints who held a SUT at a time. Asks the service, which knows that an unknown SUT is not one that was free. */
export const printHolder = async (
  typed: string,
  time: string,
  isJson: boolean,
  config: Config,
  terminal: Terminal,
): Promise<number> => {
  const sut = await lookUpSut(config, typed)
  if (E.isLeft(sut)) return printRefusal(terminal, sut.left)
  const sut_id = encodeURIComponent(sut.right._id)
  const path = `/api/sut_reservation?sut_id=${sut_id}&held_at=${encodeURIComponent(time)}`
  const listed = await callService(config, { method: 'GET', path, answer: Reservations })
  if (E.isLeft(listed)) return printRefusal(terminal, listed.left)
  if (isJson) {
    terminal.stdout(`${JSON.stringify(listed.right)}\n`)
    return DONE
  }
  const [held] = listed.right.sut_reservations
  if (held === undefined) {
    terminal.stdout('nobody\n')
    return DONE
  }
  const { _id, user_id, start_time, end_time } = held
  const user = await callService(config, {
    method: 'GET',
    path: `/api/user/${encodeURIComponent(user_id)}`,
    answer: User,
  })
  if (E.isLeft(user)) return printRefusal(terminal, user.left)
  terminal.stdout(`${[user.right.name, user_id, _id, start_time, end_time].join('\t')}\n`)
  return DONE
}
