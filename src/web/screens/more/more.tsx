import { screensFor } from '../../frame/screens.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/show/page.tsx'

/** On phones: what the tab bar has no room for. */
export const More = () => (
  <Page title="More">
    <nav class="more-list" aria-label="More">
      {screensFor(meOf(usePage()))
        .filter(({ isInMore }) => isInMore)
        .map(({ name, title, icon }) => (
          <a key={name} class="list-row" href={linkTo(name)}>
            <Icon name={icon} />
            <span>{title}</span>
          </a>
        ))}
      <a class="list-row" href="/guide">
        <Icon name="book" />
        <span>Guide</span>
      </a>
      <a class="list-row" href="/docs">
        <Icon name="code" />
        <span>API</span>
      </a>
    </nav>
  </Page>
)
