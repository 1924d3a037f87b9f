<?php

/** Loads the classes of this library without Composer. */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/src/' . str_replace(['Postern\\', '\\'], ['', '/'], $class) . '.php';
    if (str_starts_with($class, 'Postern\\') && is_file($file)) {
        require $file;
    }
});
