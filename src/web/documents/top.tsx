/** The top bar over the guide and the interface: that of the page, with the signed-in user. Nothing is followed. */

import { signal } from '@preact/signals'
import { render } from 'preact'
import { TopBar } from '../frame/navigation.tsx'
import { openPage, type PageContext, PageProvider } from '../page/context.ts'
import { openSession } from '../service/session.ts'
import { currentTime } from '../service/time.ts'

const Top = ({ page }: { readonly page: PageContext }) => (
  <PageProvider value={page}>
    <TopBar me={page.control.session.value.me} />
  </PageProvider>
)

export const openTop = (): PageContext => {
  const page = openPage(openSession(), { news: signal(undefined), heardAt: signal(currentTime()) })
  const root = document.getElementById('top') as HTMLElement
  root.replaceChildren()
  render(<Top page={page} />, root)
  return page
}
