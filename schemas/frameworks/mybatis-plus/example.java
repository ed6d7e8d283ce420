package org.example.shop.entity;

import com.baomidou.mybatisplus.annotation.IdType;
import com.baomidou.mybatisplus.annotation.TableField;
import com.baomidou.mybatisplus.annotation.TableId;
import com.baomidou.mybatisplus.annotation.TableLogic;
import com.baomidou.mybatisplus.annotation.TableName;
import java.time.LocalDateTime;
import java.util.List;

/**
 * What somebody bought.
 */
@TableName(value = "shop_order", schema = "shop", autoResultMap = true)
public class Order extends BaseEntity {
    private static final long serialVersionUID = 1L;

    @TableId(value = "order_id", type = IdType.AUTO)
    private Long id;

    /** As it is shown. */
    private String orderNumber;

    @TableField("total")
    private java.math.BigDecimal amount;

    private boolean paid;

    @TableField(exist = false)
    private List<String> lines;

    @TableLogic
    private Integer deleted;

    public String getTitle() {
        return orderNumber;
    }
}

@TableName("tag")
class Tag {
    private Integer id;
    private String name;
}

abstract class Timed {
    @TableField(value = "made_at")
    private LocalDateTime createdAt;
}

@TableName
class AuditLog extends Timed {
    @TableId
    private String code;
}

class OrderView {
    private Long id;
}
