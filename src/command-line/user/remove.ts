import * as E from 'fp-ts/lib/Either.js'
import { whole } from '../../domain/events/fields.ts'
import { Removal } from '../../domain/events/user.ts'
import { describe, lookUpUser, readMembers, statusOf, type UserAnswer, userPath } from '../people/members.ts'
import { type Ask, answer, makeAsk } from '../service/call.ts'
import { type Command, CommandFailure, orFail, WrongUsage } from '../terminal/command.ts'

const Counted = answer({ count: whole }, {})
/** The counts are of reservations that were ended. */
const Removed = answer({}, { cancelled: whole, released: whole })

const many = (count: number): string => (count === 1 ? '1 reservation' : `${count} reservations`)

const remaining = (count: number | undefined): string => {
  if (count === undefined) return 'reservations of this user remain'
  if (count === 0) return 'no reservation of this user remains'
  return `${many(count)} of this user ${count === 1 ? 'remains' : 'remain'}`
}

/** How many of a user's reservations are not over; undefined if they cannot be read now. */
const countReservations = async (ask: Ask, { _id }: UserAnswer, now: number): Promise<number | undefined> => {
  const query = new URLSearchParams({ user_id: _id, from: new Date(now).toISOString(), limit: '1' })
  const listed = await ask({ method: 'GET', path: `/api/sut_reservation?${query}`, answer: Counted }, 0)
  return E.isRight(listed) ? listed.right.count : undefined
}

/** Whether the user has been removed, although its reservations could not be ended now. */
const isRemoved = async (ask: Ask, { _id }: UserAnswer): Promise<boolean> => {
  const members = await readMembers(ask).catch((error: unknown) => {
    if (error instanceof CommandFailure) return []
    throw error
  })
  return members.some((each) => each._id === _id && statusOf(each) !== 'present')
}

export const userRemoveCommand: Command = {
  name: 'user remove',
  operands: ['NAME'],
  options: { reservations: { type: 'string', isRequired: true } },
  summary: 'removes a user, who can be restored',
  example: 'user remove anna --reservations cancel',
  help: `
Removes the user with the name or id NAME, whose credentials stop working within 2 s. With --reservations keep the
reservations remain, and their number is printed. With --reservations cancel the running ones are released and later
ones cancelled. The last administrator cannot be removed.

Histories still show the name, until "user erase".`,
  run: async ({ operands: [name], options: { reservations } }, config, terminal) => {
    if (!Removal.is(reservations)) throw new WrongUsage('--reservations must be keep or cancel')
    const ask = makeAsk(config, terminal)
    const member = await lookUpUser(ask, name)
    const path = userPath(member, 'remove')
    const removed = await ask({ method: 'POST', path, body: { reservations }, answer: Removed })
    const show = (what: string): void => terminal.stdout(`removed ${describe(member)}; ${what}\n`)
    if (E.isLeft(removed) && removed.left.code === 'outcome_unknown' && (await isRemoved(ask, member))) {
      return show('the service ends its reservations once it has read its log')
    }
    const { cancelled = 0, released = 0 } = orFail(removed)
    if (reservations === 'cancel') show(`${many(cancelled)} cancelled, ${released} released`)
    else show(remaining(await countReservations(ask, member, terminal.now())))
  },
}
