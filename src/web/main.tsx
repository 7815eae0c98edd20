/** Puts the page together. */

import { computed, effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app.tsx'
import { followChanges } from './data/follow.ts'
import { openPage } from './page/context.ts'
import { goTo, linkTo } from './page/location.ts'
import { notifyBeforeEnds } from './page/warning.ts'
import { openSession } from './service/session.ts'

const control = openSession()
const user = computed(() => control.session.value.me?._id)
const page = openPage(control, followChanges(control))

// Nothing of one user may be shown to another: what was read, chosen or typed goes with the page.
let last: string | undefined
effect(() => {
  const id = user.value
  if (id === undefined) {
    page.cache.clear()
    page.reservations.clear()
    page.asOf.value = undefined
    return
  }
  if (last !== undefined && id !== last) {
    history.replaceState(null, '', linkTo('schedule'))
    location.reload()
  }
  last = id
})

notifyBeforeEnds(page.clock, page.reservations, page.warning, () => {
  goTo('mine')
})

render(<App page={page} />, document.getElementById('page') as HTMLElement)
