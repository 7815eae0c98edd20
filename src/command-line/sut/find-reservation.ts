import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import { listOf, opaqueId } from '../../domain/codec/codec.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { answer } from '../service/answer.ts'
import { callService } from '../service/call.ts'
import { lookUpSut } from './find.ts'

const Reservations = answer({ sut_reservations: listOf(answer({ _id: opaqueId }, {})) }, {})
const Me = answer({ _id: opaqueId }, {})

/**
 * The id of the reservation that a command line means: an id, or else one's own running reservation of the SUT with that
 * name. The control socket belongs to nobody, so there it is anybody's. Left: why there is none.
 */
export const lookUpReservation = async (config: Config, typed: string): Promise<E.Either<string, string>> => {
  // An id of a SUT is meant by nobody who connects to a reservation.
  if (isAssignedId(typed)) return E.right(typed)
  const sut = await lookUpSut(config, typed)
  if (E.isLeft(sut)) return sut
  const query = new URLSearchParams({ sut_id: sut.right._id, current: 'true', limit: '2' })
  if (config.client !== undefined) {
    const me = await callService(config, { method: 'GET', path: '/api/user/me', answer: Me })
    if (E.isLeft(me)) return me
    query.set('user_id', me.right._id)
  }
  const path = `/api/sut_reservation?${query}`
  const listed = await callService(config, { method: 'GET', path, answer: Reservations })
  if (E.isLeft(listed)) return listed
  const [running] = listed.right.sut_reservations
  const whose = config.client === undefined ? 'nobody has a' : 'you have no'
  return running === undefined
    ? E.left(`${whose} running reservation of ${JSON.stringify(typed)}`)
    : E.right(running._id)
}
