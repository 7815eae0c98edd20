import { signal } from '@preact/signals'
import { render } from 'preact'
import { App } from './app.tsx'
import { followChanges } from './data/follow.ts'
import { openKept } from './data/kept.ts'
import { openLab } from './data/lab.ts'
import { openOwn } from './data/own.ts'
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
const page: PageContext = {
  control,
  api,
  lab: openLab(),
  own: openOwn(api, () => control.session.peek().me?._id, news),
  kept: openKept({ api, isSignedIn: () => control.session.peek().me !== undefined }),
  warning: openWarning(),
  place: openPlace(),
  ...openClock(),
  asOf: signal<AsOf | undefined>(undefined),
  theme: openTheme(),
  news,
  heardAt,
}

// Nothing of one user may be shown to another: what was read, chosen or typed goes with the page.
let shown = control.session.peek().me?._id
let last = shown
control.session.subscribe(({ me }) => {
  if (me !== undefined && last !== undefined && me._id !== last) {
    history.replaceState(null, '', linkTo('schedule'))
    location.reload()
  }
  last = me?._id ?? last
  if (me?._id !== shown) {
    page.lab.clear()
    page.asOf.value = undefined
    page.own.follow()
  }
  shown = me?._id
})

// What one holds may have changed while the service did not answer.
let wasAnswered = true
control.isAnswered.subscribe((isAnswered) => {
  if (isAnswered && !wasAnswered) page.own.read()
  wasAnswered = isAnswered
})

notifyBeforeEnds(page.clock, page.own, page.warning, () => {
  goTo('mine')
})

render(<App page={page} />, document.getElementById('page') as HTMLElement)
