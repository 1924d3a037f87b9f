<?php

declare(strict_types=1);

namespace Postern;

/** The base class of all errors of this library. */
class PosternException extends \RuntimeException
{
}
