import type { ComponentChildren } from 'preact';
import { ScrollRegion } from './scrolling.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly numeric?: boolean;
  /** The column of action buttons; its title is for screen readers only. */
  readonly buttons?: boolean;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** A table that becomes a list of labelled values in a narrow container (the stylesheet uses `data-label`). */
export const DataTable = <Row,>({ caption, columns, rows, keyOf }: DataTableProps<Row>) => (
  <ScrollRegion label={caption}>
    <table>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(column => (
            <th key={column.title} scope="col" class={classOf(column)}>
              <span class={column.buttons ? 'visually-hidden' : undefined}>{column.title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={keyOf(row)}>
            {columns.map(column => (
              <td key={column.title} class={classOf(column)} data-label={column.buttons ? undefined : column.title}>
                <div>{column.cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollRegion>
);

const classOf = ({ numeric, buttons }: { numeric?: boolean; buttons?: boolean }): string | undefined =>
  numeric ? 'numeric' : buttons ? 'buttons' : undefined;
