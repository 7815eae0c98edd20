import type { ButtonHTMLAttributes, ComponentChildren, Ref } from 'preact'
import { Icon, type IconName } from './icon.tsx'

type Kind = 'primary' | 'quiet' | 'danger' | 'tint'

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLElement>, 'class' | 'icon' | 'ref'> {
  /** Its text, where that is nothing but text. */
  readonly label?: ComponentChildren
  readonly look?: Kind | 'small' | `${Kind} small` | undefined
  /** Where it stands, and on which screens it is shown. */
  readonly class?: string
  readonly icon?: IconName | undefined
  readonly href?: string
  readonly ref?: Ref<HTMLElement>
  readonly children?: ComponentChildren
}

export const Button = ({ label, look, class: place = '', icon, children, ...rest }: ButtonProps) => {
  const props = { ...rest, class: `btn ${look ?? ''} ${place}` } as object
  const content = [icon && <Icon name={icon} />, children ?? label]
  return rest.href === undefined ? (
    <button type="button" {...props}>
      {content}
    </button>
  ) : (
    <a {...props}>{content}</a>
  )
}

interface IconProps extends Omit<ButtonProps, 'children' | 'label'> {
  readonly icon: IconName
  readonly label: string
}

export const IconButton = ({ label, class: place = '', ...rest }: IconProps) => (
  <Button class={`icon ${place}`} aria-label={label} title={label} {...rest} />
)
