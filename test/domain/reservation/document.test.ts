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

/** Documents are a cache: nothing is recorded because one of them says so. */

const { given } = stories(reservationDecider)
const { limits } = createReservation(explicit('06:00', '07:00'))
const story = given(at('05:00', sutCreated()), at('05:00', reservationCreated(idOf(1), '06:00', '07:00')))
const gone = given(
  at('05:00', sutCreated()),
  at('05:00', reservationCreated(idOf(1), '06:00', '07:00')),
  at('05:01', reservationCancelled(idOf(1))),
)

/** What a document says of the reservation, which is Alice's. */
const DOCUMENTS = [alice, bob].flatMap((user_id) =>
  (['made', 'released', 'cancelled'] as const).map((documentStatus) => ({ user_id, documentStatus })),
)

const asked = (who: string, document: (typeof DOCUMENTS)[number]) => {
  const of = { actor: tester(who), _id: idOf(1), ...document }
  return {
    cancel: { type: 'CancelReservation', ...of } as const,
    extend: { type: 'ExtendReservation', ...of, end: { duration: 7200 }, limits } as const,
  }
}

for (const document of DOCUMENTS) {
  const said = `${document.documentStatus} by ${document.user_id === alice ? 'Alice' : 'Bob'}`

  test(`what is ahead or runs is its holder’s, and stands, though its document says that it was ${said}`, (t) => {
    const [hers, his] = [asked(alice, document), asked(bob, document)]
    t.deepEqual(story.when(hers.cancel, '05:30'), records(reservationCancelled(idOf(1))))
    t.deepEqual(story.when(hers.cancel, '06:30'), records(reservationReleased(idOf(1), wall('06:30'))))
    t.deepEqual(story.when(hers.extend, '06:30'), records(reservationExtended(idOf(1), wall('08:00'))))
    for (const time of ['05:30', '06:30']) {
      for (const command of [his.cancel, his.extend]) {
        t.is(refusal(story.when(command, time)).code, 'not_your_reservation')
      }
    }
  })

  test(`of what is over or was cancelled nothing is recorded, though its document says that it was ${said}`, (t) => {
    const isNothing = (decision: Decision): boolean => decision._tag === 'Left' || decision.right.length === 0
    for (const who of [alice, bob]) {
      for (const command of Object.values(asked(who, document))) {
        t.true(isNothing(story.when(command, '07:00')))
        t.true(isNothing(gone.when(command, '05:30')))
      }
    }
  })
}
