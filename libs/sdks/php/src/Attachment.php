<?php

declare(strict_types=1);

namespace Postern;

/** Makes the entries of `attachments`. */
final class Attachment
{
    /** @return array<string, string> */
    public static function file(string $path, ?string $contentType = null, ?string $contentId = null): array
    {
        $content = @file_get_contents($path);
        if ($content === false) {
            throw new PosternException("The file cannot be read: $path");
        }

        return self::content(basename($path), $content, $contentType, $contentId);
    }

    /**
     * @param ?string $contentType Without it, the ending of the name determines the type.
     * @param ?string $contentId Makes an inline image, which the HTML shows with `cid:`.
     *
     * @return array<string, string>
     */
    public static function content(
        string $filename,
        string $content,
        ?string $contentType = null,
        ?string $contentId = null,
    ): array {
        return array_filter(
            [
                'filename' => $filename,
                'content' => base64_encode($content),
                'content_type' => $contentType,
                'content_id' => $contentId,
            ],
            static fn (?string $value): bool => $value !== null,
        );
    }
}
