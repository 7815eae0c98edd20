import { find } from '../domain/calendar/calendar.ts'
import type { Held } from '../domain/calendar/held.ts'
import { reservationDecider } from '../domain/reservation/decide.ts'
import { sutStream } from '../domain/values/ids.ts'
import type { Runner } from './command-envelope.ts'

/** A reservation as its SUT's state has it; undefined if it does not have it, or no longer. @throws StoreUnavailable */
export const findHeld = (
  { inspect }: Pick<Runner, 'inspect'>,
  sutId: string,
  reservationId: string,
): Promise<Held | undefined> =>
  inspect(reservationDecider, sutStream(sutId), ({ windows }) => find(windows, reservationId))
