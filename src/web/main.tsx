import { computed, effect, signal, untracked } from '@preact/signals'
import { render } from 'preact'
import { App } from './app.tsx'
import { openCache } from './data/cache.ts'
import { followChanges } from './data/follow.ts'
import { openKept } from './data/kept.ts'
import { openReservations } from './data/reservations.ts'
import type { AsOf } from './page/as-of.ts'
import { openClock } from './page/clock.ts'
import type { PageContext } from './page/context.ts'
import { goTo, linkTo, openPlace } from './page/location.ts'
import { openTheme } from './page/theme.ts'
import { notifyBeforeEnds, openWarning } from './page/warning.ts'
import { openSession } from './service/session.ts'

/** Puts the page together. */

const control = openSession()
const { api } = control
const { news, heardAt } = followChanges(control)
const user = computed(() => control.session.value.me?._id)
const page: PageContext = {
  control,
  api,
  cache: openCache({ api, news, isAnswered: control.isAnswered }),
  reservations: openReservations(user),
  kept: openKept({ api, isSignedIn: () => user.peek() !== undefined }),
  warning: openWarning(),
  place: openPlace(),
  ...openClock(),
  asOf: signal<AsOf | undefined>(undefined),
  theme: openTheme(),
  heardAt,
}

// Nothing of one user may be shown to another: what was read, chosen or typed goes with the page.
let last: string | undefined
effect(() => {
  const id = user.value
  if (id === undefined) {
    page.cache.clear()
    page.reservations.clear()
    page.asOf.value = undefined
    return undefined
  }
  if (last !== undefined && id !== last) {
    history.replaceState(null, '', linkTo('schedule'))
    location.reload()
  }
  last = id
  // On every screen: the navigation counts those that run, and the page warns before they end.
  return untracked(page.cache.entry(page.reservations.readOwn).use)
})

notifyBeforeEnds(page.clock, page.reservations, page.warning, () => {
  goTo('mine')
})

render(<App page={page} />, document.getElementById('page') as HTMLElement)
