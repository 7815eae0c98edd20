import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

interface Props {
  readonly icon: IconName
  readonly title: string
  readonly text?: ComponentChildren
  readonly children?: ComponentChildren
  readonly request?: string | undefined
}

/** What a screen shows in place of its content: empty, failed, forbidden. */
export const StateBlock = ({ icon, title, text, children, request }: Props) => (
  <div class="void">
    <Icon name={icon} />
    <h2>{title}</h2>
    {text !== undefined && <p>{text}</p>}
    {children !== undefined && <div class="row wrap">{children}</div>}
    {request !== undefined && (
      <p class="muted small">
        Request <span class="mono">{request}</span>
      </p>
    )}
  </div>
)

/** What a list shows whose filters leave nothing. */
export const NoMatch = ({ title, onClear }: { readonly title: string; readonly onClear: () => void }) => (
  <StateBlock icon="filter" title={title}>
    <Button label="Clear filters" onClick={onClear} />
  </StateBlock>
)
