import { computed, effect, signal, untracked } from '@preact/signals'
import { render, type VNode } from 'preact'
import { openCache } from '../data/cache.ts'
import { openKept } from '../data/kept.ts'
import type { News } from '../data/news.ts'
import { openReservations } from '../data/reservations.ts'
import { Tabs, ThemeButton, Who } from '../frame/navigation.tsx'
import type { AsOf } from '../page/as-of.ts'
import { openClock } from '../page/clock.ts'
import { type PageContext, PageProvider } from '../page/context.ts'
import { openPlace } from '../page/location.ts'
import { openTheme } from '../page/theme.ts'
import { openWarning } from '../page/warning.ts'
import { Button } from '../parts/button.tsx'
import { Mark } from '../parts/icon.tsx'
import { openSession } from '../service/session.ts'
import { currentTime } from '../service/time.ts'

/** The top bar over the guide and the interface: that of the page, with the signed-in user. Nothing is followed. */

const Top = ({ page }: { readonly page: PageContext }): VNode => {
  const { me } = page.control.session.value
  return (
    <PageProvider value={page}>
      <header class="row top">
        <a class="brand" href="/">
          <Mark />
          Berth
        </a>
        <nav class="nav desk-only" aria-label="Main">
          {me !== undefined && <Tabs me={me} current="" />}
        </nav>
        <span class="grow" />
        <ThemeButton />
        {me === undefined ? <Button label="Sign in" href="/" /> : <Who me={me} />}
      </header>
    </PageProvider>
  )
}

export const openTop = (): PageContext => {
  const control = openSession()
  const { api } = control
  const news = signal<News | undefined>(undefined)
  const user = computed(() => control.session.value.me?._id)
  const reservations = openReservations(user)
  const page: PageContext = {
    kept: openKept({ api, isSignedIn: () => user.peek() !== undefined }),
    ...{
      control,
      api,
      cache: openCache({ api, news, isAnswered: control.isAnswered }),
      reservations,
      heardAt: signal(currentTime()),
      asOf: signal<AsOf | undefined>(undefined),
    },
    ...{ warning: openWarning(), place: openPlace(), ...openClock(), theme: openTheme() },
  }
  effect(() => (user.value === undefined ? undefined : untracked(page.cache.entry(reservations.readOwn).use)))
  const root = document.getElementById('top') as HTMLElement
  root.replaceChildren()
  render(<Top page={page} />, root)
  return page
}
