import type { Config } from '../../config/config.ts'
import { listOf, opaqueId } from '../../domain/codec/codec.ts'
import { answer, callService, line } from '../service/call.ts'
import { lookUpSut } from '../sut/find.ts'
import type { Terminal } from '../terminal/command.ts'

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
): Promise<void> => {
  const sut_id = encodeURIComponent((await lookUpSut(config, typed))._id)
  const path = `/api/sut_reservation?sut_id=${sut_id}&held_at=${encodeURIComponent(time)}`
  const listed = await callService(config, { method: 'GET', path, answer: Reservations })
  if (isJson) return terminal.stdout(`${JSON.stringify(listed)}\n`)
  const [held] = listed.sut_reservations
  if (held === undefined) return terminal.stdout('nobody\n')
  const { _id, user_id, start_time, end_time } = held
  const userPath = `/api/user/${encodeURIComponent(user_id)}`
  const { name } = await callService(config, { method: 'GET', path: userPath, answer: User })
  terminal.stdout(`${[name, user_id, _id, start_time, end_time].join('\t')}\n`)
}
