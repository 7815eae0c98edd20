import { prettyFactory } from 'pino-pretty'

/** Control characters of others, which a terminal might obey. */
const CONTROL = /[^\P{Cc}\n\t]/gu

const withoutControl = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(CONTROL, '\ufffd') : value

/** Turns the JSON of a log line into a line for people at a terminal, in local time. */
export const makePretty = (isColoured: boolean): ((line: string) => string) => {
  const prettify = prettyFactory({
    colorize: isColoured,
    ignore: 'pid',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  })
  return (line) => prettify(JSON.parse(line, withoutControl))
}
