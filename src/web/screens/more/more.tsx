import { screensFor } from '../../frame/screens.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/show/page.tsx'

/** On phones: what the tab bar has no room for. */
export const More = () => (
  <Page title="More">
    <nav class="more-list" aria-label="More">
      {[
        ...screensFor(meOf(usePage()))
          .filter(({ isInMore }) => isInMore)
          .map(({ name, title, icon }) => ({ href: linkTo(name), title, icon })),
        { href: '/guide', title: 'Guide', icon: 'book' as const },
        { href: '/docs', title: 'API', icon: 'code' as const },
      ].map(({ href, title, icon }) => (
        <a key={href} class="list-row" href={href}>
          <Icon name={icon} />
          <span>{title}</span>
        </a>
      ))}
    </nav>
  </Page>
)
