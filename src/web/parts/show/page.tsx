import type { ComponentChildren } from 'preact'

interface Props {
  readonly title: string
  readonly beside?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

export const Page = ({ title, beside, class: place = '', children }: Props) => (
  <main class="main">
    <div class={`page ${place}`}>
      <div class="row page-head">
        <h1 class="grow">{title}</h1>
        {beside}
      </div>
      {children}
    </div>
  </main>
)

interface SectionProps extends Props {
  /** Whether it is a part of something that has a heading of the second level. */
  readonly isPart?: boolean | undefined
}

export const Section = ({ title, beside, isPart, class: place = '', children }: SectionProps) => (
  <section class={`${isPart ? 'part' : 'section'} ${place}`} aria-label={title}>
    <div class="row section-head">
      {isPart ? <h3 class="grow">{title}</h3> : <h2 class="grow">{title}</h2>}
      {beside}
    </div>
    {children}
  </section>
)
