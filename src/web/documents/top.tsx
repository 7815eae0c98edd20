import { signal } from '@preact/signals'
import { render } from 'preact'
import { Tabs, ThemeButton, Who } from '../frame/navigation.tsx'
import { type PageContext, PageProvider } from '../page/context.ts'
import { openPage } from '../page/open-page.ts'
import { Button } from '../parts/button.tsx'
import { Mark } from '../parts/icon.tsx'
import { openSession } from '../service/session.ts'
import { currentTime } from '../service/time.ts'

/** The top bar over the guide and the interface: that of the page, with the signed-in user. Nothing is followed. */

const Top = ({ page }: { readonly page: PageContext }) => {
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
  const page = openPage(openSession(), { news: signal(undefined), heardAt: signal(currentTime()) })
  const root = document.getElementById('top') as HTMLElement
  root.replaceChildren()
  render(<Top page={page} />, root)
  return page
}
