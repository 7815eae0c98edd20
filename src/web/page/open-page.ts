import { computed, effect, signal, untracked } from '@preact/signals'
import { openCache } from '../data/cache.ts'
import type { Following } from '../data/follow.ts'
import { openKept } from '../data/kept.ts'
import { openReservations } from '../data/reservations.ts'
import type { SessionControl } from '../service/session.ts'
import { openClock } from './clock.ts'
import type { PageContext } from './context.ts'
import { openPlace } from './location.ts'
import { openTheme } from './theme.ts'
import { openWarning } from './warning.ts'

export const openPage = (control: SessionControl, { news, heardAt }: Following): PageContext => {
  const { api, isAnswered } = control
  const user = computed(() => control.session.value.me?._id)
  const cache = openCache({ api, news, isAnswered })
  const reservations = openReservations(user)
  // On every screen: the navigation counts those that run, and the page warns before they end.
  effect(() => (user.value === undefined ? undefined : untracked(cache.entry(reservations.readOwn).use)))
  return {
    ...{ control, api, cache, reservations, heardAt, asOf: signal(undefined) },
    kept: openKept({ api, isSignedIn: () => user.peek() !== undefined }),
    ...{ warning: openWarning(), place: openPlace(), ...openClock(), theme: openTheme() },
  }
}
