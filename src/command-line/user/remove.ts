import * as E from 'fp-ts/lib/Either.js'
import { whole } from '../../domain/events/fields.ts'
import { Removal } from '../../domain/events/user.ts'
import { describe, readMembers, statusOf, type UserAnswer, userPath } from '../people/members.ts'
import type { Ask } from '../people/with-service.ts'
import { withUser } from '../people/with-user.ts'
import { answer } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'
import { misuse } from '../terminal/misuse.ts'

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
  const members = await readMembers(ask)
  return E.isRight(members) && members.right.some((each) => each._id === _id && statusOf(each) !== 'present')
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
  run: ({ operands: [name = ''], options: { reservations } }, config, terminal) => {
    if (!Removal.is(reservations)) {
      return Promise.resolve(misuse(terminal, '--reservations must be keep or cancel', userRemoveCommand))
    }
    return withUser(config, terminal, name, async (ask, member) => {
      const path = userPath(member, 'remove')
      const removed = await ask({ method: 'POST', path, body: { reservations }, answer: Removed })
      const show = (what: string): void => terminal.stdout(`removed ${describe(member)}; ${what}\n`)
      if (E.isLeft(removed)) {
        const isLeftToService = removed.left.code === 'outcome_unknown' && (await isRemoved(ask, member))
        if (!isLeftToService) return printRefusal(terminal, removed.left.why)
        show('the service ends its reservations once it has read its log')
      } else if (reservations === 'cancel') {
        const { cancelled = 0, released = 0 } = removed.right
        show(`${many(cancelled)} cancelled, ${released} released`)
      } else show(remaining(await countReservations(ask, member, terminal.now())))
      return DONE
    })
  },
}
