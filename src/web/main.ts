import { render } from 'preact'
import { App } from './app.ts'
import { followLog } from './live/follow.ts'
import { openLab } from './live/lab.ts'
import { openClock } from './page/clock.ts'
import type { PageContext } from './page/context.ts'
import { openPlace } from './page/location.ts'
import { openTheme } from './page/theme.ts'
import { html } from './parts/html.ts'
import { openSession } from './service/session.ts'

/** Puts the page together. */

const control = openSession()
const { api } = control
const page: PageContext = {
  control,
  api,
  lab: openLab(api),
  place: openPlace(),
  clock: openClock(),
  theme: openTheme(),
  position: followLog(api, () => control.session.get().phase === 'in'),
}

// Nothing of one user may be shown to another.
let shown = control.session.get().me?._id
control.session.watch(({ me }) => {
  if (me?._id !== shown) page.lab.clear()
  shown = me?._id
})

render(html`<${App} page=${page} />`, document.getElementById('page') as HTMLElement)
