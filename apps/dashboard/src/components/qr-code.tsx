import qrcode from 'qrcode-generator';

const QUIET = 4;

/** A QR code as inline SVG, drawn in the browser. */
export const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const size = count + 2 * QUIET;
  const rows = Array.from({ length: count }, (_, row) =>
    Array.from({ length: count }, (_, column) =>
      code.isDark(row, column) ? `M${column + QUIET} ${row + QUIET}h1v1h-1z` : '',
    ).join(''),
  );
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width="220" height="220">
      <rect width={size} height={size} fill="#fff" />
      <path d={rows.join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
};
