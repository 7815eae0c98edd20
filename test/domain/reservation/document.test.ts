import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  alice,
  bob,
  createReservation,
  explicit,
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
  sutCreated,
  tester,
  wall,
} from '../builders.ts'
import { at, type Decision, records, refusal, stories } from '../given-when-then.ts'

/** Documents are a cache: no event is recorded on their word alone. */

const { given } = stories(reservationDecider)
const { limits } = createReservation(explicit('06:00', '07:00'))
const story = given(at('05:00', sutCreated()), at('05:00', reservationCreated(idOf(1), '06:00', '07:00')))
const gone = given(
  at('05:00', sutCreated()),
  at('05:00', reservationCreated(idOf(1), '06:00', '07:00')),
  at('05:01', reservationCancelled(idOf(1))),
)

/** Possible contents of the document; the reservation is Alice's. */
const DOCUMENTS = [alice, bob].flatMap((user_id) =>
  (['made', 'released', 'cancelled'] as const).map((documentStatus) => ({ user_id, documentStatus })),
)

const commandsOf = (who: string, document: (typeof DOCUMENTS)[number]) => {
  const of = { actor: tester(who), _id: idOf(1), ...document }
  return {
    cancel: { type: 'CancelReservation', ...of } as const,
    extend: { type: 'ExtendReservation', ...of, end: { duration: 7200 }, limits } as const,
  }
}

for (const document of DOCUMENTS) {
  const status = `${document.documentStatus} by ${document.user_id === alice ? 'Alice' : 'Bob'}`

  test(`a future or running reservation stays valid although its document says ${status}`, (t) => {
    const [hers, his] = [commandsOf(alice, document), commandsOf(bob, document)]
    t.deepEqual(story.when(hers.cancel, '05:30'), records(reservationCancelled(idOf(1))))
    t.deepEqual(story.when(hers.cancel, '06:30'), records(reservationReleased(idOf(1), wall('06:30'))))
    t.deepEqual(story.when(hers.extend, '06:30'), records(reservationExtended(idOf(1), wall('08:00'))))
    for (const time of ['05:30', '06:30']) {
      for (const command of [his.cancel, his.extend]) {
        t.is(refusal(story.when(command, time)).code, 'not_your_reservation')
      }
    }
  })

  test(`a past or cancelled reservation records nothing although its document says ${status}`, (t) => {
    const isNothing = (decision: Decision): boolean => decision._tag === 'Left' || decision.right.length === 0
    for (const who of [alice, bob]) {
      for (const command of Object.values(commandsOf(who, document))) {
        t.true(isNothing(story.when(command, '07:00')))
        t.true(isNothing(gone.when(command, '05:30')))
      }
    }
  })
}
