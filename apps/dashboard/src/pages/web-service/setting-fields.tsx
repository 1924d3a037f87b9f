import { Field } from '../../components/form.js';
import { Select, TextArea } from '../../components/form-controls.js';
import { type Setting, type SettingName, settingOf, textOf } from './settings.js';
import { useWebService } from './web-service-layout.js';

interface SettingInputProps extends Partial<Omit<Setting, 'label' | 'format' | 'parse' | 'options'>> {
  readonly name: SettingName;
  readonly value?: string;
}

/** The field of a setting; properties of the setting can be replaced. */
export const SettingInput = ({ name, value = '', ...changes }: SettingInputProps) => {
  const {
    label,
    range,
    rows,
    options,
    format: _format,
    parse: _parse,
    ...setting
  } = { ...settingOf(name), ...changes };
  if (options) return <Select label={label} name={name} options={options} defaultValue={value} />;
  const { hint = setting.required || range ? undefined : 'Optional', ...rest } = setting;
  const props = { ...rest, ...(hint === undefined ? {} : { hint }), label, name, defaultValue: value };
  if (rows) return <TextArea {...props} rows={rows} />;
  if (range) return <Field {...props} type="number" min={range[0]} max={range[1]} />;
  return <Field {...props} autocomplete="off" spellcheck={false} />;
};

/** The field of a setting with the value that the web service has. */
export const SettingField = (props: Omit<SettingInputProps, 'value'>) => {
  const { service } = useWebService();
  return <SettingInput {...props} value={textOf(service, props.name)} />;
};
